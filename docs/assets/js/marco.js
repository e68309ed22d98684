/*
 * Lo que le falta al armazón para manejarse con el teclado: abrir el menú y la búsqueda en un móvil,
 * cerrar el menú con Esc y desplazar las tablas que no caben.
 */
;(() => {
  const drawer = document.getElementById("__drawer")

  document.addEventListener("keydown", event => {
    if (event.key === "Escape" && drawer.checked) drawer.click()
    if (!event.target.matches(".boton") || !["Enter", " "].includes(event.key)) return
    event.preventDefault()
    event.target.click()
    if (drawer.checked) firstLink().focus()
  })

  // El menú de un móvil enseña solo el nivel más hondo que esté abierto.
  const firstLink = () => {
    const sidebar = document.querySelector(".md-sidebar--primary")
    const open = [...sidebar.querySelectorAll(".md-nav__toggle:checked ~ .md-nav")]
    const links = (open.at(-1) ?? sidebar).querySelectorAll(".md-nav__list a")
    return [...links].find(link => link.checkVisibility())
  }

  const reachable = new ResizeObserver(entries => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0
      else target.removeAttribute("tabindex")
    }
  })

  // Material envuelve las tablas, pone los botones de copiar y da a la salida de una celda el id de
  // su código, todo al cargar cada página.
  document$.subscribe(() =>
    setTimeout(() => {
      reachable.disconnect()
      document.querySelectorAll(".md-typeset__scrollwrap").forEach(each => reachable.observe(each))
      document.querySelectorAll(".md-code__nav").forEach(each => (each.role = "none"))
      document.querySelectorAll(".salida-texto").forEach(each => each.removeAttribute("id"))
    }),
  )
})()
