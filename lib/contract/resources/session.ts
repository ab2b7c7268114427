import * as v from 'valibot';
import { SessionKey } from '../request/routing.ts';
import { closedObject } from '../schema/closed-object.ts';
import { documented } from '../schema/documented.ts';

/** A key that no session has, whatever its form, is a 404: nothing here judges it. */
export const SessionPath = v.strictObject({ key: v.string() });

export const SessionQuery = closedObject({
  provider: documented(
    v.optional(v.pipe(v.string(), v.maxLength(64)), 'agent-app-server'),
    'Whose session it is.',
  ),
});

/** The thread that a key is bound to (contract.md 7). */
export const SessionBinding = v.strictObject({
  key: SessionKey,
  thread_id: v.string(),
  reused: v.literal(true),
});
export type SessionBinding = v.InferOutput<typeof SessionBinding>;
