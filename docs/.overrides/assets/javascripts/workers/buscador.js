/*
 * El buscador: se interpone entre la página y el buscador de Material para no cargar nada hasta
 * que alguien escribe, y para dejar la consulta como lunr.es la espera.
 *
 * La dirección de este archivo nombra el de Material: buscador.js?search.a7633da7.min.js
 */
(() => {
  const [SETUP, READY, QUERY, RESULT] = [0, 1, 2, 3] // los mensajes de Material
  const { search } = new URL(self.document ? document.currentScript.src : location.href)
  const answer = self.postMessage.bind(self)

  let engine
  const ask = (type, data) =>
    dispatchEvent(new MessageEvent("message", { data: { type, data, forEngine: true } }))

  const load = async () => {
    await importScripts(search.slice(1), "../../../search/search_index.js")
    const ready = new Promise(resolve => {
      self.postMessage = message => (message.type === READY ? resolve() : answer(message))
    })
    const { config, docs } = self.__index
    ask(SETUP, { config, docs, options: { suggest: false } })
    await ready
  }

  addEventListener("message", async event => {
    const { type, data, forEngine } = event.data
    if (forEngine) return
    event.stopImmediatePropagation()
    if (type !== QUERY) return
    if (!data.trim()) {
      answer({ type: RESULT, data: { items: [] } })
      return
    }
    await (engine ??= load())
    ask(QUERY, self.lunr.es.query(data))
  })
  answer({ type: READY })
})()
