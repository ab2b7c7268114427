import type { Server } from 'node:http';
import { BridgeError } from '../../lib/errors/bridge-error.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Resolves once connections are taken. Throws `configuration` with a sentence that begins with the setting's name. */
export function listen(
  server: Server,
  { host, port }: ListenAddress,
  setting: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException) => {
      const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
      const message = `${setting}: ${address} ${reasonOf(cause.code)} (${cause.code ?? 'unknown'})`;
      // The message says all that the cause does.
      reject(new BridgeError('configuration', message));
    };
    server.once('error', onError);
    server.listen({ host, port }, () => {
      server.off('error', onError);
      // When accepting a connection fails, that connection is lost and the listener continues.
      server.on('error', () => {});
      resolve();
    });
  });
}

/** The rest of a sentence that begins with the address. */
function reasonOf(code: string | undefined): string {
  switch (code) {
    case 'EADDRINUSE':
      return 'is taken by another program';
    case 'EACCES':
      return 'is not for this user to listen on';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'is no address of this machine';
    default:
      return 'cannot be listened on';
  }
}
