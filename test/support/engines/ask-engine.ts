import { inject } from 'vitest';

/** Resolves with the way to a server of this run, and starts the server if no test has asked before. */
export async function askEngine<Connection>(name: 'postgres' | 's3'): Promise<Connection> {
  const reply = await fetch(`${inject('engines')}/${name}`);
  if (!reply.ok) throw new Error(await reply.text());
  // `run-engines.ts` sends the connection of the named server.
  return (await reply.json()) as Connection;
}
