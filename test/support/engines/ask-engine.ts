import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL that starts the servers of this run: `/postgres` and `/s3` respond with the way to connect. */
    readonly engines: string;
  }
}

/** Resolves with the way to a server of this run, and starts the server if no test has asked before. */
export async function askEngine<Connection>(name: 'postgres' | 's3'): Promise<Connection> {
  const reply = await fetch(`${inject('engines')}/${name}`);
  if (!reply.ok) throw new Error(await reply.text());
  // `run-engines.ts` sends the connection of the named server.
  return (await reply.json()) as Connection;
}
