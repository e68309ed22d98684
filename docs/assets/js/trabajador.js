/*
 * El Python de la página, en su propio hilo: un bucle sin fin no congela la lectura y se puede
 * detener. Aquí solo se carga; qué se ejecuta y cómo lo decide lessons_code/sitekit/live.py.
 */
let ready = null // la carga, que empieza con el primer encargo
let queue = Promise.resolve()

onmessage = ({ data }) => {
  queue = queue.then(() => attend(data)).catch(error => postMessage({ broken: String(error) }))
}

const attend = async ({ start, id, name, codes, draw }) => {
  if (start) return void (ready = load(start))
  const { pyodide, live } = await ready
  if (draw) {
    postMessage({ id, state: "dibujo" })
    await pyodide.loadPackage("matplotlib", { messageCallback() {} })
  }
  postMessage({ id, state: "ejecuta" })
  postMessage({ id, outcomes: JSON.parse(live.run(name, pyodide.toPy(codes))) })
}

const load = async ({ runtime, sources }) => {
  watchDownloads()
  importScripts(runtime + "pyodide.js")
  const archive = fetch(sources).then(answer => answer.arrayBuffer())
  archive.catch(() => {}) // su error se atiende al esperarlo
  const pyodide = await loadPyodide({ indexURL: runtime, packages: ["numpy"] })
  pyodide.unpackArchive(await archive, "zip", { extractDir: "/curso" })
  pyodide.runPython("import sys; sys.path.insert(0, '/curso')")
  return { pyodide, live: pyodide.pyimport("lessons_code.sitekit.live") }
}

// Pyodide no cuenta lo que lleva descargado, y si le falta un fichero espera para siempre o sigue sin
// él: aquí se cuenta según llega, y lo que no llega se dice.
const watchDownloads = () => {
  const original = fetch
  let received = 0
  self.fetch = async (...request) => {
    const answer = await original(...request).catch(error => ({ statusText: error.message }))
    if (!answer.ok) {
      postMessage({ broken: `${request[0]}: ${answer.statusText}` })
      throw new Error(answer.statusText)
    }
    const counter = new TransformStream({
      transform(chunk, controller) {
        received += chunk.byteLength
        postMessage({ received })
        controller.enqueue(chunk)
      },
    })
    return new Response(answer.body.pipeThrough(counter), { headers: answer.headers })
  }
}
