/** Makes `count` jobs with the sandbox. Resolves when the last one has ended. */
export async function makeJobs(address: string, count: number): Promise<void> {
  let last: string | undefined;
  for (let index = 0; index < count; index += 1) {
    const response = await fetch(`${address}/v1/jobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: `a harbour at dusk, number ${index}` }),
    });
    if (!response.ok) throw new Error(`a job was refused: ${await response.text()}`);
    ({ id: last } = (await response.json()) as { id: string });
  }
  let isOpen = last !== undefined;
  while (isOpen) {
    const job = await fetch(`${address}/v1/jobs/${last}?wait_ms=30000`);
    isOpen = !('completed' in ((await job.json()) as object));
  }
}
