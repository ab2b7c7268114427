import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { type Tokens, tokensOf } from './logins.ts';

/** Replies to the next calls instead of a grant. */
export type Reply = (response: ServerResponse) => void;

export interface TokenServer {
  readonly url: string;
  /** All requests so far, in order. */
  readonly asked: readonly { readonly headers: object; readonly body: unknown }[];
  /** All granted tokens, in order. */
  readonly granted: readonly Tokens[];
  /** Sets the only refresh token that is granted, which is single-use. */
  accept(refreshToken: string): void;
  /** Undefined restores grants. */
  setReply(reply: Reply | undefined): void;
  /** Holds back all replies until the returned function is called. */
  hold(): () => void;
  close(): Promise<void>;
}

/**
 * Starts a token endpoint on loopback. Access tokens live for `lifeSecs`. Each access token contains its number,
 * starting at 100.
 */
export async function startTokenServer(lifeSecs = 3600): Promise<TokenServer> {
  const asked: { headers: object; body: unknown }[] = [];
  const granted: Tokens[] = [];
  let accepted = '';
  let reply: Reply | undefined;
  let gate = Promise.resolve();

  function grant(body: unknown, response: ServerResponse): void {
    if (Object(body).refresh_token !== accepted) {
      response.writeHead(401).end('{"error":{"code":"refresh_token_reused"}}');
      return;
    }
    const tokens = tokensOf(100 + granted.length, lifeSecs);
    granted.push(tokens);
    accepted = tokens.refresh_token;
    response.end(JSON.stringify(tokens));
  }

  const server = createServer(async (request, response) => {
    const body = await json(request);
    asked.push({ headers: request.headers, body });
    await gate;
    if (reply) reply(response);
    else grant(body, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}/oauth/token`,
    asked,
    granted,
    accept(refreshToken) {
      accepted = refreshToken;
    },
    setReply(given) {
      reply = given;
    },
    hold() {
      let release = () => {};
      gate = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
