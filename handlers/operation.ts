import {
  createOperation,
  type Operation,
  type OperationDeclaration,
} from '../lib/http/operation.ts';
import type { RequestSpec } from '../lib/http/operation-spec.ts';
import type { Services } from '../lib/services.ts';

/** Binds the one stack of `lib/http` to our services: the only way to make a handler. */
export function operation<K extends keyof Services = never>() {
  return <const R extends RequestSpec, B>(
    declaration: OperationDeclaration<Pick<Services, K>, R, B>,
  ): Operation<Pick<Services, K>> => createOperation(declaration);
}
