/*
 * Cambiar una celda y volver a ejecutarla en la página.
 *
 * Sin este archivo la página está completa: lo que cada celda dio al construirla sigue ahí. Con él,
 * el código se edita donde se lee y lo ejecuta un Python que se descarga del propio sitio cuando
 * alguien pulsa «Ejecutar», y no antes. Desde el disco (file://) los navegadores no lo permiten.
 */
;(() => {
  if (location.protocol === "file:") return

  const { entorno, fuentes, version, descarga, dibujo, bytes } = document.currentScript.dataset
  const address = path => new URL(path, location.href).href
  const [runtime, sources] = [address(entorno), address(fuentes)]
  const script = `${new URL("trabajador.js", document.currentScript.src)}?${version}`

  const INDENT = "    "
  const COST = `descarga ${descarga} la primera vez`
  const PREPARING = "Preparando Python…"
  const running = new Map() // lo encargado al Python que corre, por su número
  let worker = null
  let loaded = false // ¿está ya descargado?
  let orders = 0
  let visit = 0 // con navegación instantánea, cada página vista tiene sus propias variables
  let cells = []

  // ── El Python ──────────────────────────────────────────────────────────────────────────────────

  const send = (cell, draw = false) => {
    if (cell.order) return
    cell.order = ++orders
    running.set(cell.order, cell)
    cell.show(!loaded ? `Descargando Python, ${descarga}…` : worker ? "En espera…" : PREPARING)
    if (!worker) {
      worker = new Worker(script)
      worker.onmessage = ({ data }) => receive(data)
      worker.onerror = () => fail(script)
      worker.postMessage({ start: { runtime, sources } })
    }
    const codes = cell.above().map(each => each.text())
    worker.postMessage({ id: cell.order, name: `${visit} ${cell.session}`, codes, draw })
  }

  const receive = ({ received, broken, id, state, outcomes }) => {
    if (broken) return worker && fail(broken)
    if (received) return running.forEach(cell => cell.advance(received / bytes))
    const cell = running.get(id)
    if (state === "dibujo") return cell.show(`Descargando matplotlib, ${dibujo}…`)
    if (state === "ejecuta") {
      loaded = true
      cells.forEach(each => each.state() === COST && each.settle())
      return cell.show("Ejecutando…")
    }
    finish(cell)
    const all = cell.above()
    for (const outcome of outcomes) all[outcome.index].receive(outcome, cell)
  }

  const finish = cell => {
    running.delete(cell.order)
    cell.order = 0
    cell.show("")
  }

  const fail = detail =>
    stop(`No se ha podido cargar Python. Comprueba la conexión y vuelve a ejecutar. (${detail})`)

  const stop = reason => {
    worker.terminate()
    worker = null
    for (const cell of [...running.values()]) {
      finish(cell)
      cell.show(reason)
    }
  }

  // ── Una celda ──────────────────────────────────────────────────────────────────────────────────

  const element = (tag, className, properties = {}) =>
    Object.assign(document.createElement(tag), { className, ...properties })

  const prepare = (box, code, number, total) => {
    const bar = element("div", "celda-mandos", { role: "group" })
    bar.ariaLabel = `Celda ${number} de ${total}`
    const play = element("button", "celda-ejecutar", { type: "button", textContent: "Ejecutar" })
    const reset = element("button", "celda-restablecer", {
      type: "button",
      textContent: "Restablecer",
      hidden: true,
    })
    const state = element("p", "celda-estado", { role: "status" })
    const fetchDrawing = element("button", "celda-dibujar", {
      type: "button",
      textContent: "Descargar y dibujar",
      hidden: true,
    })
    const hint = element("p", "celda-pista", {
      id: `${box.id}-pista`,
      textContent: "Ctrl + Intro ejecuta; Esc y Tab salen",
    })
    const progress = element("progress", "celda-progreso", { hidden: true, max: 1 })
    progress.ariaLabel = "Descarga"
    bar.append(play, reset, state, fetchDrawing, hint, progress)
    box.querySelector(".highlight").after(bar)
    let output = box.querySelector(".celda-salida")
    if (!output) {
      output = element("div", "celda-salida no-copy")
      bar.after(output)
    }
    output.ariaLive = "polite"

    // Material da a la salida el id de su código mientras se carga la página.
    const shown = () => output.innerHTML.replace(/ id="__code[^"]*"/g, "")
    const built = { code: code.innerHTML, text: code.textContent, output: shown() }
    const cell = {
      session: box.dataset.sesion,
      order: 0,
      text: () => code.textContent,
      state: () => state.textContent,
      above: () => {
        const same = cells.filter(each => each.session === cell.session)
        return same.slice(0, same.indexOf(cell) + 1)
      },
      changed: () => cell.text() !== built.text,

      show(message) {
        state.textContent = message
        progress.hidden = !message.startsWith("Descargando")
        progress.removeAttribute("value")
        fetchDrawing.hidden = true
        play.textContent = cell.order ? "Detener" : "Ejecutar"
        box.classList.toggle("celda-en-marcha", Boolean(cell.order))
      },
      advance(fraction) {
        if (!loaded) progress.value = Math.min(fraction, 1)
        if (!loaded && fraction >= 1) state.textContent = PREPARING
      },
      // Sin nada que contar, el estado dice lo que costará la primera vez.
      settle: () => cell.show(loaded ? "" : COST),
      receive({ html, error, line, missing }, asked) {
        if (missing) {
          if (cell !== asked) return
          cell.show(`Esta celda dibuja con matplotlib: ${dibujo} más.`)
          fetchDrawing.hidden = false
          return
        }
        const yours = cell.above().some(each => each.changed())
        output.innerHTML = html
        const same = !yours && shown() === built.output
        if (yours) output.prepend(element("p", "celda-tuya", { textContent: "Tu versión" }))
        reset.hidden = !yours
        if (error && cell !== asked) asked.show("No se ha ejecutado: falla una celda de arriba. Corrígela o pulsa Restablecer en ella.")
        if (error) cell.show(line ? `Error en la línea ${line}` : "Error")
        else if (cell === asked) cell.show(same ? "Hecho: lo mismo que al construir la página" : "Hecho")
      },
    }

    play.onclick = () => {
      if (cell.order) stop("Detenido: se han perdido las variables. Al ejecutar se empieza de nuevo.")
      else send(cell)
    }
    fetchDrawing.onclick = () => {
      play.focus()
      send(cell, true)
    }
    reset.onclick = () => {
      code.innerHTML = built.code
      output.innerHTML = built.output
      reset.hidden = true
      if (!cell.order) cell.settle()
      play.focus()
    }
    edit(code, hint, {
      run: () => send(cell),
      change() {
        reset.hidden = !cell.changed()
        if (cell.order) return
        if (cell.changed()) cell.show("Sin ejecutar todavía")
        else cell.settle()
      },
    })
    cell.settle()
    return cell
  }

  // ── El código ──────────────────────────────────────────────────────────────────────────────────

  const edit = (code, hint, { run, change }) => {
    try {
      code.contentEditable = "plaintext-only"
    } catch {
      code.contentEditable = "true"
    }
    Object.assign(code, { spellcheck: false, autocapitalize: "off", translate: false, tabIndex: 0 })
    code.setAttribute("role", "textbox")
    code.setAttribute("aria-multiline", "true")
    code.setAttribute("aria-label", "Código de la celda, que puedes cambiar")
    code.setAttribute("aria-describedby", hint.id)

    const insert = text => document.execCommand("insertText", false, text)
    let typing = false // quien solo pasa con Tab no se queda dentro

    code.addEventListener("focus", () => (typing = false))
    code.addEventListener("input", () => {
      typing = true
      change()
    })
    code.addEventListener("keydown", event => {
      if (event.isComposing) return
      if (event.key === "Escape") typing = false
      else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        run()
      } else if (event.key === "Enter") {
        event.preventDefault()
        insert("\n" + indentation(code))
      } else if (event.key === "Tab" && typing && !event.shiftKey) {
        event.preventDefault()
        insert(INDENT)
      }
    })
    code.addEventListener("paste", event => {
      event.preventDefault()
      insert(event.clipboardData.getData("text/plain"))
    })
  }

  // El sangrado de la línea en que se escribe, y un nivel más si abre un bloque.
  const indentation = code => {
    const before = getSelection().getRangeAt(0).cloneRange()
    before.setStart(code, 0)
    const line = before.toString().split("\n").pop()
    return line.match(/^ */)[0] + (line.trimEnd().endsWith(":") ? INDENT : "")
  }

  document$.subscribe(() => {
    if (worker && running.size) stop("")
    visit++
    const found = [...document.querySelectorAll(".celda:not([data-grabada])")]
      .map(box => [box, box.querySelector(".highlight code")])
      .filter(([, code]) => code)
    cells = found.map(([box, code], index) => prepare(box, code, index + 1, found.length))
  })
})()
