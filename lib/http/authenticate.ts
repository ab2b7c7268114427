import { BridgeError } from '../errors/bridge-error.ts';
import { isProtected } from './browser-guard.ts';
import { permissionOf } from './operation-spec.ts';
import { callOf, type Middleware } from './stack-request.ts';

/** Gives the request its caller. Throws `authentication_required`, `permission_denied`. */
export const authenticate: Middleware = {
  before(request) {
    if (!isProtected(request)) return;
    const { event, context } = request;
    const caller = context.settings.access.authenticate(event.headers['authorization']);
    if (caller === undefined) {
      throw new BridgeError('authentication_required', 'a valid bearer token is required');
    }
    // Set before the permission is checked, so that the refusal is reported as the caller's own.
    callOf(request).caller = caller;
    const permission = context.spec && permissionOf(context.spec);
    if (permission !== undefined && !caller.permissions.includes(permission)) {
      throw new BridgeError('permission_denied', `the token lacks the permission ${permission}`, {
        details: { permission },
      });
    }
  },
};
