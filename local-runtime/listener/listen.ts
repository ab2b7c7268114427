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
      const reason = reasonOf(cause.code);
      const message = `${setting}: ${reason ?? 'the address cannot be listened on'}`;
      // A reason says all that the cause does.
      reject(new BridgeError('configuration', message, reason === undefined ? { cause } : {}));
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

function reasonOf(code: string | undefined): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return 'the port is taken by another program';
    case 'EACCES':
      return 'this user may not listen on the port';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'this machine does not have the address';
    default:
      return undefined;
  }
}
