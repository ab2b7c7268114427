import type { AnyImageRequest, ImageRequest } from '../contract/request/image-request.ts';
import type { Parameters } from '../contract/request/parameters.ts';
import type { JobRequest } from '../contract/resources/job.ts';
import type { InputSet, InputSource } from '../inputs/input-source.ts';

/** What every wire request becomes: complete parameters, and images as sources. */
export interface GenerationRequest
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
  readonly inputs: InputSet<InputSource>;
  readonly timeoutMs: number | undefined;
}

/** A request of any wire, or that of a job, and its images, as a `GenerationRequest`. */
export function toGenerationRequest(
  request: AnyImageRequest | JobRequest,
  inputs: InputSet<InputSource>,
): GenerationRequest {
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
    parameters: {
      ...request.parameters,
      output_format: request.parameters.output_format ?? 'png',
    },
    formatNamed: request.parameters.output_format !== undefined,
    inputs,
    timeoutMs: request.timeout_ms ?? undefined,
  };
}
