import * as v from 'valibot';

export const Liveness = v.strictObject({ status: v.literal('live') });

// Both say no more than that, since anyone may ask.
export const Ready = v.strictObject({ status: v.literal('ready') });
export const NotReady = v.strictObject({ status: v.literal('not_ready') });
