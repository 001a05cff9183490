/** Next calls this once when the web process starts (and looks for it in an edge runtime, where nothing of ours runs). */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { startWebProcess } = await import('#server/api/web-process.ts');
    await startWebProcess();
  }
}
