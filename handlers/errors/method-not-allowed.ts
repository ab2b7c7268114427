import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { operation } from '../operation.ts';

/** Answers a known path with a method that it does not have, behind the same guard. */
export const handler = operation<'allowedMethods'>()({
  id: 'answerMethodNotAllowed',
  summary: 'Answer an unknown method',
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
