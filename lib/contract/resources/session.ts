import * as v from 'valibot';
import { SessionKey } from '../request/routing.ts';
import { closedObject } from '../schema/closed-object.ts';
import { toProviderName } from './provider-name.ts';

/** The thread that a key is bound to (contract.md 7). */
export const SessionBinding = v.strictObject({
  key: SessionKey,
  thread_id: v.string(),
  reused: v.literal(true),
});
export type SessionBinding = v.InferOutput<typeof SessionBinding>;

/** A key that no session has, whatever its form, is a 404; its form is not checked. */
export const SessionPath = v.strictObject({ key: v.string() });

export const SessionQuery = closedObject({
  provider: v.optional(v.pipe(v.string(), v.maxLength(64)), toProviderName('agent_app_server')),
});
