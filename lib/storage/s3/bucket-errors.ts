import { BridgeError } from '../../errors/bridge-error.ts';

/** The facts that errors of the AWS SDK and of the network contain. */
interface SdkError {
  readonly name?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

// `HEAD` has no body, so its error has only the name of the status.
const MISSING = ['NoSuchKey', 'NotFound'];

// System errors of the network, such as ECONNREFUSED. A host name that does not exist is a wrong setting.
const NETWORK_ERROR = /^E(?!NOTFOUND$|RR_)[A-Z_]+$/;

/** Returns true if the bucket has no object with the name. A missing bucket looks the same to `HEAD`. */
export function isMissingObject(error: unknown): boolean {
  return MISSING.includes(toSdkError(error).name ?? '');
}

/**
 * Returns true if the condition of a write does not hold: 412, or 409 if another request for the name is being executed
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html).
 */
export function isConditionFailure(error: unknown): boolean {
  const status = statusOf(error);
  return status === 412 || status === 409;
}

/**
 * Returns true if the server rejects the content or the condition of a write. Access, time and availability have other
 * statuses, which a repetition may change.
 */
export function isRejection(error: unknown): boolean {
  return isConditionFailure(error) || statusOf(error) === 400;
}

/** Returns true if the cause is not temporary but in the settings: the server, the bucket or the credentials are wrong. */
export function isMisconfigured(error: unknown): boolean {
  const status = statusOf(error);
  if (status !== undefined) return status < 500 && status !== 408 && status !== 429;
  // Without an answer, the SDK may lack a region or credentials, or the server a valid certificate.
  const { name, code = '' } = toSdkError(error);
  return name !== 'TimeoutError' && !NETWORK_ERROR.test(code);
}

function statusOf(error: unknown): number | undefined {
  return toSdkError(error).$metadata?.httpStatusCode;
}

/** Converts an error of the AWS SDK or the network to `overloaded`. The message contains no key and no host name. */
export function toBucketError(error: unknown): BridgeError {
  if (error instanceof BridgeError) return error;
  return new BridgeError('overloaded', 'the artifact bucket is unavailable', {
    details: { reason: 'artifact_store_unavailable' },
    cause: error,
  });
}

function toSdkError(error: unknown): SdkError {
  return typeof error === 'object' && error !== null ? error : {};
}
