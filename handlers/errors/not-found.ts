import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { operation } from '../operation.ts';

/** Rejects a path without a route. The same guard protects this handler and the routes with the same prefix. */
export const handler = operation()({
  id: 'refusePath',
  summary: 'Reject an unknown path',
  protection: 'by_path',
  request: {},
  reply: { status: 404, description: 'No route has this path.' },
  errors: ['not_found'],
  handle() {
    throw new BridgeError('not_found', 'no route has this path');
  },
});
