import { BridgeError } from '../errors/bridge-error.ts';
import { isProtected } from './browser-guard.ts';
import { callOf, type Middleware } from './stack-request.ts';

/** Gives the request its scope. Throws `authentication_required`. */
export const authenticate: Middleware = {
  before(request) {
    if (!isProtected(request)) return;
    const scope = request.context.settings.access.authenticate(
      request.event.headers['authorization'],
    );
    if (scope === undefined) {
      throw new BridgeError('authentication_required', 'a valid bearer token is required');
    }
    callOf(request).scope = scope;
  },
};
