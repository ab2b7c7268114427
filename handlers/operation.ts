import {
  createOperation,
  type Operation,
  type OperationDeclaration,
} from '../lib/http/operation.ts';
import type { RequestSpec } from '../lib/http/operation-spec.ts';
import type { Services } from '../lib/services.ts';

/** Creates a handler: binds the middleware stack of `lib/http` to the services of the bridge. Creates all handlers. */
export function operation<K extends keyof Services = never>() {
  return <const R extends RequestSpec, B>(
    declaration: OperationDeclaration<Pick<Services, K>, R, B>,
  ): Operation<Pick<Services, K>> => createOperation(declaration);
}
