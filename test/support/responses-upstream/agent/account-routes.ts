import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Login } from '../login.ts';

type Handler = (incoming: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Routes of the backend that the agent reads beside its calls. Newer versions check the account before each turn. */
export function accountRoutes({
  account,
}: Pick<Login, 'account'>): Readonly<Record<string, Handler>> {
  const workspace = {
    id: account.accountId,
    workspace_backend_origin: 'https://chatgpt.com',
    account_routing_override: 'NO_CONSTRAINT',
  };
  return {
    'GET /backend-api/codex/models': always({ models: [] }),
    'GET /backend-api/wham/accounts/check': always({ accounts: [workspace] }),
  };
}

function always(body: object): Handler {
  return async (incoming, response) => {
    incoming.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
}
