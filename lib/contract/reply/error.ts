import * as v from 'valibot';
import { BRIDGE_CODES } from '../../errors/codes.ts';
import { documented } from '../schema/documented.ts';

const Details = documented(
  v.record(v.string(), v.unknown()),
  'Facts about this failure, such as issues, supported_models, outcome or retry_after_ms.',
);

const extEntries = {
  code: documented(v.picklist(BRIDGE_CODES), 'The stable name under which the bridge files it.'),
  retryable: documented(v.boolean(), 'Whether the same request may simply be sent again.'),
  provider: v.optional(v.string()),
  upstream_request_id: v.optional(v.string()),
  details: Details,
  suggestions: documented(v.array(v.string()), 'What you can do, best first.'),
};

/** The flat form of a failure: inside jobs, failure lists and streams (contract.md 8). */
export const FlatBridgeError = v.strictObject({ ...extEntries, message: v.string() });

export const errorReplyEntries = {
  error: v.strictObject({
    message: v.string(),
    type: v.string(),
    param: documented(v.nullable(v.string()), 'The first field at fault, such as parameters.n.'),
    code: documented(v.string(), 'What OpenAI clients switch on.'),
    bridge_ext: v.strictObject(extEntries),
  }),
  request_id: documented(v.string(), 'The same as the x-request-id header.'),
};

/** The body of every error reply (specification 2.7). */
export const ErrorReply = v.strictObject(errorReplyEntries);
