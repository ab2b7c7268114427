import type { ImageRequest, RequestOf } from '../contract/request/image-request.ts';
import type { Parameters } from '../contract/request/parameters.ts';
import type { InputSet, InputSource, PlannedSource } from '../inputs/input-source.ts';

/** What every wire request becomes: complete parameters, and images as sources. */
export interface GenerationRequest<S = InputSource>
  extends Pick<
    ImageRequest,
    | 'operation'
    | 'prompt'
    | 'negative_prompt'
    | 'output'
    | 'routing'
    | 'session'
    | 'policies'
    | 'metadata'
  > {
  readonly parameters: Parameters;
  /** The request named an output format; `png` is a default otherwise, and changing it breaks no promise. */
  readonly formatNamed: boolean;
  readonly inputs: InputSet<S>;
  readonly timeoutMs: number | undefined;
}

/** A request that can be planned: its images may be known by their facts alone. */
export type PlannedRequest = GenerationRequest<PlannedSource>;

/** A request of any wire, or that of a job, and its images, as a `GenerationRequest`. */
export function toGenerationRequest<S>(
  request: Omit<RequestOf<unknown>, 'version' | 'idempotency_key' | 'user'>,
  inputs: InputSet<S>,
): GenerationRequest<S> {
  const { operation, prompt, negative_prompt, output, routing } = request;
  const { session, policies, metadata } = request;
  return {
    operation,
    prompt,
    negative_prompt,
    output,
    routing,
    session,
    policies,
    metadata,
    parameters: toParameters(request.parameters),
    formatNamed: request.parameters.output_format !== undefined,
    inputs,
    timeoutMs: request.timeout_ms ?? undefined,
  };
}

/** Complete parameters: the format has a default too. */
export function toParameters(sent: ImageRequest['parameters']): Parameters {
  return { ...sent, output_format: sent.output_format ?? 'png' };
}
