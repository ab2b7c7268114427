import * as v from 'valibot';
import { BRIDGE_CODES } from '../errors/codes.ts';

const Details = v.record(v.string(), v.unknown());

const extEntries = {
  code: v.picklist(BRIDGE_CODES),
  retryable: v.boolean(),
  provider: v.optional(v.string()),
  upstream_request_id: v.optional(v.string()),
  details: Details,
  suggestions: v.array(v.string()),
};

/** The flat form of a failure: inside jobs, failure lists and streams (contract.md 8). */
export const FlatBridgeError = v.strictObject({ ...extEntries, message: v.string() });

/** The body of every error answer (specification 2.7). */
export const ErrorAnswer = v.strictObject({
  error: v.strictObject({
    message: v.string(),
    type: v.string(),
    param: v.nullable(v.string()),
    code: v.string(),
    bridge_ext: v.strictObject(extEntries),
  }),
  request_id: v.string(),
});
