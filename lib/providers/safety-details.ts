import type { Detail } from '../errors/bridge-error.ts';
import type { CallFacts } from './provider-port.ts';

const STAGES: readonly string[] = ['input', 'output', 'unknown'];
const CATEGORIES: readonly string[] = ['harassment', 'self-harm', 'sexual', 'violence'];

/** The details of a safety rejection by any provider (specification 7.4). Unknown words are left out. */
export function safetyDetails(
  { parameters, images, references }: CallFacts,
  stage: string | undefined,
  categories: readonly unknown[],
): { readonly [key: string]: Detail } {
  const known = CATEGORIES.filter((category) => categories.includes(category));
  return {
    safety_category: 'content_policy',
    recovery: 'revise_prompt_or_inputs',
    retry_same_request: false,
    requested_moderation: parameters.moderation,
    input_images_present: images.length + references.length > 0,
    ...(stage !== undefined && STAGES.includes(stage) ? { moderation_stage: stage } : {}),
    ...(known.length > 0 ? { moderation_categories: known } : {}),
  };
}
