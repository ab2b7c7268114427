import { BridgeError } from '../errors/bridge-error.ts';
import { isProtected } from './browser-guard.ts';
import { permissionOf } from './operation-spec.ts';
import { callOf, type Middleware } from './stack-request.ts';

/** Identifies the caller of the request. Throws `authentication_required`, `permission_denied`. */
export const authenticate: Middleware = {
  before(request) {
    if (!isProtected(request)) return;
    const { event, context } = request;
    const caller = context.settings.access.authenticate(event.headers['authorization']);
    if (caller === undefined) {
      throw new BridgeError('authentication_required', 'a valid bearer token is required');
    }
    // The caller is set before the permission check, so that the rejection is attributed to the caller.
    callOf(request).caller = caller;
    const permission = context.spec && permissionOf(context.spec);
    if (permission !== undefined && !caller.permissions.includes(permission)) {
      throw new BridgeError('permission_denied', `the token lacks the permission ${permission}`, {
        details: { permission },
      });
    }
  },
};
