/*
 * Las definiciones del glosario, donde se leen.
 *
 * Un término es un enlace al glosario; sin este archivo lo sigue siendo. Con él, la definición
 * aparece al pasar el ratón, al llegar con el teclado o al primer toque, que además ofrece el
 * enlace. Se puede señalar con el ratón, no se va sola y Esc la cierra (WCAG 1.4.13).
 */
;(() => {
  if (!HTMLElement.prototype.hasOwnProperty("popover")) return

  const bubble = document.createElement("span")
  bubble.id = "definicion"
  bubble.className = "definicion"
  bubble.popover = "manual"
  bubble.setAttribute("role", "tooltip")

  let term = null // el enlace cuya definición se ve
  let closing = 0 // el cierre aplazado que da tiempo a llevar el ratón hasta la definición
  let pointer = "" // con qué se pulsó por última vez: mouse, pen o touch

  const termAt = event => event.target.closest?.("a.termino[data-definicion]")

  const show = (link, withLink = false) => {
    clearTimeout(closing)
    if (term === link) return
    hide()
    term = link
    bubble.textContent = link.dataset.definicion
    if (withLink) {
      const more = document.createElement("a")
      more.className = "definicion__enlace"
      more.href = link.href
      more.textContent = "Ver en el glosario"
      bubble.append(more)
    }
    link.after(bubble)
    link.setAttribute("aria-describedby", bubble.id)
    bubble.showPopover()
    place()
  }

  const hide = () => {
    clearTimeout(closing)
    if (!term) return
    term.removeAttribute("aria-describedby")
    bubble.remove()
    term = null
  }

  // Pegada al término, debajo si cabe y encima si no, sin salirse de la ventana.
  const place = () => {
    const word = term.getClientRects()[0]
    const { width, height } = bubble.getBoundingClientRect()
    const below = word.bottom + height <= innerHeight
    bubble.style.top = `${below ? word.bottom : word.top - height}px`
    bubble.style.left = `${Math.max(8, Math.min(word.left, innerWidth - width - 8))}px`
  }

  addEventListener("pointerdown", event => {
    pointer = event.pointerType
    if (term && !term.contains(event.target) && !bubble.contains(event.target)) hide()
  })

  document.addEventListener("pointerover", event => {
    if (event.pointerType === "touch") return
    const link = termAt(event)
    if (link) show(link)
    else if (bubble.contains(event.target)) clearTimeout(closing)
  })

  document.addEventListener("pointerout", event => {
    if (event.pointerType === "touch" || !term) return
    if (termAt(event) !== term && !bubble.contains(event.target)) return
    clearTimeout(closing)
    closing = setTimeout(() => term === document.activeElement || hide(), 200)
  })

  document.addEventListener("focusin", event => {
    const link = termAt(event)
    if (link?.matches(":focus-visible")) show(link)
  })

  document.addEventListener("focusout", event => {
    if (termAt(event) && !bubble.contains(event.relatedTarget)) hide()
  })

  document.addEventListener("click", event => {
    const link = termAt(event)
    if (!link || pointer !== "touch" || term === link) return
    event.preventDefault()
    show(link, true)
  })

  addEventListener("keydown", event => {
    pointer = ""
    if (event.key === "Escape") hide()
  })

  addEventListener("scroll", () => term && place(), { capture: true, passive: true })
  addEventListener("resize", hide)
})()
