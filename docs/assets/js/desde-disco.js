/*
 * El curso abierto desde el disco (file://), sin servidor.
 *
 * Los navegadores no abren ahí una carpeta como página ni dejan crear un Worker: los enlaces
 * «carpeta/» se llevan a su index.html y la búsqueda corre en un marco oculto. Servido por http
 * este archivo no hace nada.
 */
if (location.protocol === "file:") {
  const openFolder = event => {
    const link = event.target.closest?.("a[href]")
    if (link?.protocol === "file:" && link.pathname.endsWith("/")) link.pathname += "index.html"
  }
  addEventListener("click", openFolder, true)
  addEventListener("auxclick", openFolder, true)

  window.Worker = class FrameWorker extends EventTarget {
    constructor(url) {
      super()
      const base = new URL(url, location.href)
      const frame = document.createElement("iframe")
      frame.hidden = true
      frame.srcdoc = ""
      this.scope = new Promise(resolve => {
        frame.onload = async () => {
          const scope = frame.contentWindow
          scope.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
          scope.importScripts = async (...urls) => {
            for (const each of urls) await addScript(scope.document, new URL(each, base))
          }
          await scope.importScripts(base)
          resolve(scope)
        }
      })
      document.body.append(frame)
    }

    async postMessage(data) {
      const scope = await this.scope
      scope.dispatchEvent(new scope.MessageEvent("message", { data }))
    }
  }

  const addScript = (document, url) =>
    new Promise((resolve, reject) => {
      const script = document.createElement("script")
      script.src = url
      script.onload = resolve
      script.onerror = () => reject(new Error(`No se pudo leer ${url}`))
      document.head.append(script)
    })
}
