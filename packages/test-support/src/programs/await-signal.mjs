/** Tells the parent that this process is ready, and resolves when it says go. */
export async function awaitSignal() {
  const go = new Promise((resolve) => process.once('message', resolve));
  process.send('ready');
  await go;
  process.disconnect();
}
