interface Listed {
  readonly id: string;
  readonly status: string;
  readonly prompt: string;
  readonly favorite: boolean;
  readonly deleted?: number;
  readonly artifacts: readonly { readonly id: string }[];
  readonly progress?: { readonly partial_images: number };
}

const JSON_BODY = { 'content-type': 'application/json' };

/** Sends requests as jobs in this order. Resolves with their ids. */
export async function submitJobs(address: string, requests: readonly object[]): Promise<string[]> {
  const ids: string[] = [];
  for (const request of requests) {
    const reply = await fetch(`${address}/v1/jobs`, {
      method: 'POST',
      headers: JSON_BODY,
      body: JSON.stringify(request),
    });
    const job = (await reply.json()) as { readonly id: string };
    if (reply.status !== 202) throw new Error(`HTTP ${reply.status}: ${JSON.stringify(job)}`);
    ids.push(job.id);
  }
  return ids;
}

/** Sends requests as jobs. Resolves with their ids when all jobs have ended. */
export async function makeJobs(address: string, requests: readonly object[]): Promise<string[]> {
  const ids = await submitJobs(address, requests);
  for (const id of ids) await fetch(`${address}/v1/jobs/${id}?wait_ms=30000`);
  return ids;
}

export async function listJobs(address: string, query = ''): Promise<readonly Listed[]> {
  const reply = await fetch(`${address}/v1/jobs?limit=100&${query}`);
  return ((await reply.json()) as { readonly items: readonly Listed[] }).items;
}

export async function patchJob(address: string, id: string, changes: object): Promise<void> {
  const body = JSON.stringify(changes);
  await fetch(`${address}/v1/jobs/${id}`, { method: 'PATCH', headers: JSON_BODY, body });
}

/** Restores the jobs that a test has hidden or marked. */
export async function unmarkJobs(address: string): Promise<void> {
  const jobs = await listJobs(address, 'visibility=all');
  const marked = jobs.filter(({ favorite, deleted }) => favorite || deleted !== undefined);
  for (const { id } of marked) await patchJob(address, id, { favorite: false, deleted: false });
}

export async function cancelJob(address: string, id: string): Promise<void> {
  await fetch(`${address}/v1/jobs/${id}`, { method: 'DELETE' });
}
