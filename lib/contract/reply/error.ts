import * as v from 'valibot';
import { BRIDGE_CODES } from '../../errors/codes.ts';
import { documented } from '../schema/fields.ts';

const Details = documented(
  v.record(v.string(), v.unknown()),
  'Facts about the failure, such as issues, supported_models, outcome or retry_after_ms.',
);

const extEntries = {
  code: documented(v.picklist(BRIDGE_CODES), 'The stable name of this kind of failure.'),
  retryable: documented(v.boolean(), 'True if the same request may be sent again.'),
  provider: v.optional(v.string()),
  upstream_request_id: v.optional(v.string()),
  details: Details,
  suggestions: documented(v.array(v.string()), 'Actions that may solve the problem, best first.'),
};

/** The flat form of a failure in jobs, failure lists and plans (`docs/contract.md`, section 8). */
export const FlatBridgeError = v.strictObject({ ...extEntries, message: v.string() });

export const errorReplyEntries = {
  error: v.strictObject({
    message: v.string(),
    type: v.string(),
    param: documented(v.nullable(v.string()), 'The first field at fault, such as parameters.n.'),
    code: documented(v.string(), 'The error code that OpenAI clients evaluate.'),
    bridge_ext: v.strictObject(extEntries),
  }),
  request_id: documented(v.string(), 'Same as the header x-request-id.'),
};

/** The body of every error reply (`docs/contract.md`, section 8). */
export const ErrorReply = v.strictObject(errorReplyEntries);
