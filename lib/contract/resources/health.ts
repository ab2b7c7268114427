import * as v from 'valibot';

export const Liveness = v.strictObject({ status: v.literal('live') });

// The replies contain no details, because these routes are public.
export const Ready = v.strictObject({ status: v.literal('ready') });
export const NotReady = v.strictObject({ status: v.literal('not_ready') });
