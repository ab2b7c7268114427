import type { PendingPublication, Publisher } from '../../artifacts/publisher.ts';
import type { ImageWithBytes } from '../../contract/reply/image-response.ts';
import type { RequestContext } from '../../contract/request/request-context.ts';
import type { Plan } from '../plan/plan.ts';
import type { DescribedOutput } from './describe-images.ts';
import { plainBytes } from './plain-bytes.ts';

interface Deps {
  readonly publisher: Publisher;
}

export interface DeliveryTarget extends Pick<RequestContext, 'scope' | 'baseUrl'> {
  /** The number of the job whose outputs these are, in its store. */
  readonly job?: number | undefined;
}

export interface DeliveredImages {
  readonly data: readonly ImageWithBytes[];
  /** Without an owner yet: the caller commits or discards them. */
  readonly publications: readonly PendingPublication[];
}

export type Deliver = ReturnType<typeof createDeliver>;

/** Returns true if the images of this output become files. */
export function isPublished({ response_format: form }: Plan['output']): boolean {
  return form === 'artifact' || form === 'url';
}

/** Delivers verified images in the form that was asked for: inline, artifact, url or metadata. */
export function createDeliver({ publisher }: Deps) {
  /**
   * `signal` aborts when the client disconnects, but not at the deadline: what is ready by then is delivered. Throws
   * `artifact`, `artifact_exists`.
   */
  return async function deliver(
    outputs: readonly DescribedOutput[],
    { output }: Plan,
    { scope, baseUrl, job }: DeliveryTarget,
    signal: AbortSignal,
  ): Promise<DeliveredImages> {
    const { response_format: form } = output;
    if (form === 'metadata') {
      return { data: outputs.map((it) => ({ type: form, ...facts(it) })), publications: [] };
    }
    if (form === 'b64_json') {
      const data = outputs.map((it) => ({
        type: form,
        b64_json: plainBytes(it.image.bytes),
        ...facts(it),
      }));
      return { data, publications: [] };
    }
    const images = outputs.map((it) => ({
      image: it.image,
      sidecar: it.sidecar,
      output: job === undefined ? undefined : { job, facts: outputFacts(it) },
    }));
    const publications = await publisher.publish(scope, images, output, signal);
    const data = publications.flatMap(({ record }, index): ImageWithBytes[] => {
      const it = outputs[index];
      if (!it) return [];
      const { id, name, sidecar } = record;
      const entries = { ...facts(it), ...(sidecar && { metadata_name: sidecar.name }) };
      return form === 'artifact'
        ? [{ type: form, id, name, ...entries }]
        : [{ type: form, url: `${baseUrl}/v1/artifacts/${id}`, id, ...entries }];
    });
    return { data, publications };
  };
}

function facts(it: DescribedOutput) {
  const { format, width, height, bytes, sha256 } = it.image;
  return { format, width, height, bytes: bytes.length, sha256, ...outputFacts(it) };
}

/** The facts of an image that its file does not hold. */
function outputFacts({ index, generationMs, revisedPrompt }: DescribedOutput) {
  return {
    index,
    generation_ms: generationMs,
    ...(revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt }),
  };
}
