import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { operation } from '../operation.ts';

/** Rejects a method that the path does not support. The same guard protects this handler and the routes of the path. */
export const handler = operation<'allowedMethods'>()({
  id: 'refuseMethod',
  summary: 'Reject an unsupported method',
  protection: 'by_path',
  request: {},
  reply: { status: 405, description: 'Method not allowed for this path.' },
  errors: ['method_not_allowed'],
  handle({ event, services }) {
    throw new BridgeError('method_not_allowed', 'method not allowed for this path', {
      headers: { allow: services.allowedMethods(event.rawPath) },
    });
  },
});
