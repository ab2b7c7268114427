import * as v from 'valibot';
import { SessionKey } from '../request/routing.ts';

/** The thread that a key is bound to (contract.md 7). */
export const SessionBinding = v.strictObject({
  key: SessionKey,
  thread_id: v.string(),
  reused: v.literal(true),
});
export type SessionBinding = v.InferOutput<typeof SessionBinding>;
