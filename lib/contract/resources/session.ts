import * as v from 'valibot';
import { SessionKey } from '../request/routing.ts';
import { closedObject } from '../schema/closed-object.ts';
import { toProviderName } from './provider.ts';

/** The thread that a session key is bound to. */
export const SessionBinding = v.strictObject({
  key: SessionKey,
  thread_id: v.string(),
  reused: v.literal(true),
});
export type SessionBinding = v.InferOutput<typeof SessionBinding>;

/** The path parameters of a session. The format of the key is not checked; any unknown key returns 404. */
export const SessionPath = v.strictObject({ key: v.string() });

export const SessionQuery = closedObject({
  provider: v.optional(v.pipe(v.string(), v.maxLength(64)), toProviderName('agent_app_server')),
});
