import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { operation } from '../operation.ts';

/** Refuses an unsupported method of a known path, behind the same guard as its routes. */
export const handler = operation<'allowedMethods'>()({
  id: 'refuseMethod',
  summary: 'Refuse an unsupported method',
  protection: 'by_path',
  request: {},
  reply: { status: 405, description: 'The path has other methods.' },
  errors: ['method_not_allowed'],
  handle({ event, services }) {
    throw new BridgeError('method_not_allowed', 'this path has other methods', {
      headers: { allow: services.allowedMethods(event.rawPath) },
    });
  },
});
