import type { Capabilities, ImagePlan, PresetTemplate } from '../api/schemas.ts';
import { toFailureText } from '../text/failure-text.ts';
import { hasText, text } from '../text/text.ts';
import { parseSize } from './size/shapes.ts';

type Route = ImagePlan['routes'][number];
type Change = Route['normalizations'][number];

/** A change that makes a rejected plan possible, offered as a button. */
export type Fix = 'removeMask' | 'removeImages' | 'autoSize' | 'nearest';

export interface PlanText {
  readonly kind: 'calls' | 'changes' | 'refused';
  readonly title: string;
  readonly detail: string | undefined;
  readonly fixes: readonly Fix[];
}

/** Describes a plan: the number of calls and the changes to the request, or the reason why the request is rejected. */
export function toPlanText(plan: ImagePlan, capabilities: Capabilities | undefined): PlanText {
  const route = plan.routes[plan.chosen ?? 0];
  if (route === undefined)
    return { kind: 'refused', title: text('plan.none'), detail: undefined, fixes: [] };
  if (route.error !== undefined && isRefused(route)) return toRefusal(route, route.error);
  const changes = route.normalizations
    .filter(isWorthSaying)
    .map((change) => toChange(change, route));
  const details = [
    (plan.chosen ?? 0) > 0 && text('plan.fallback', { model: plan.routes[0]?.model ?? '' }),
    !route.ready && text('plan.notReady'),
    ...changes,
    route.transparency?.mode === 'chroma_key' && text('plan.cutHere'),
    route.edit && toDrawn(route.edit),
    isMaskedHere(route) && text(toMaskKey(route)),
  ].filter((each) => typeof each === 'string');
  return {
    kind: changes.length > 0 ? 'changes' : 'calls',
    title: toCalls(route, capabilities),
    detail: details.length > 0 ? details.join(' ') : undefined,
    fixes: [],
  };
}

/**
 * Describes what would happen to Content Credentials of the images that the model returns. Returns undefined if the plan does not
 * know. A plan does not know whether the model signs its images.
 */
export function toCredentialsText(
  { routes, chosen }: ImagePlan,
  { parameters, output }: PresetTemplate,
): string | undefined {
  const route = routes[chosen ?? 0];
  switch (route?.credentials) {
    case 'would_keep': {
      const record = output?.metadata ?? 'none';
      return text(`plan.credentials.keep.${record}`);
    }
    case 'would_resign':
      return text('plan.credentials.resign');
    case 'would_drop': {
      if (isMaskedHere(route)) return text('plan.credentials.drop.mask');
      if (route.transparency?.mode === 'chroma_key') return text('plan.credentials.drop.cutOut');
      const format = text(`make.format.${parameters?.output_format ?? 'png'}`);
      return text('plan.credentials.drop.format', { format });
    }
    default:
      return undefined;
  }
}

/** Returns true if the route can never accept the request. A provider that is not ready may accept the request later. */
export function isRefused({ error, ready, calls }: Route): boolean {
  return error !== undefined && (ready || calls === 0);
}

function toCalls({ calls, model }: Route, capabilities: Capabilities | undefined): string {
  if (calls <= 1) return text('plan.call', { model });
  const parallel = capabilities?.batching.max_parallel_outputs ?? calls;
  return parallel >= calls
    ? text('plan.calls.together', { calls, model })
    : text('plan.calls.some', { calls, model, count: parallel });
}

/** Describes why a route rejects a request. */
export function toRefusal(
  { model, provider }: Pick<Route, 'model' | 'provider'>,
  error: NonNullable<Route['error']>,
): PlanText {
  const field = String(error.details['field'] ?? '').replace(/\[\d+\]$/, '');
  const { reason } = error.details;
  const keys = [reason, field].map((each) => `plan.refused.${each}`);
  const key = keys.find(hasText);
  if (error.code === 'unsupported_capability' && key !== undefined) {
    return {
      kind: 'refused',
      title: text(key, { model }),
      detail: undefined,
      fixes: reason === 'mask_excludes_chroma_key' ? ['removeMask'] : fixesOf(field),
    };
  }
  return {
    kind: 'refused',
    title: toFailureText(error, Date.now()).title,
    detail: `${provider}: ${error.message}`,
    fixes: error.code === 'unsupported_capability' ? fixesOf(field) : [],
  };
}

function fixesOf(field: string): readonly Fix[] {
  if (field === 'mask') return ['removeMask'];
  if (field === 'images' || field === 'reference_images') return ['removeImages'];
  if (field === 'parameters.size') return ['autoSize', 'nearest'];
  return field.startsWith('parameters.') || field.startsWith('output.') ? ['nearest'] : [];
}

/** The reasons of changes that are not listed, because these changes are usual or are reported separately. */
const EXPECTED: ReadonlySet<Change['reason']> = new Set([
  'provider_uses_automatic_action',
  'provider_supports_native_alpha',
  'provider_alpha_emulated_with_local_chroma_key',
  'provider_mask_emulated_with_local_composite',
]);

function isWorthSaying({ reason }: Change): boolean {
  return !EXPECTED.has(reason);
}

/** Returns true if the bridge restores the area outside the mask. */
function isMaskedHere({ normalizations }: Route): boolean {
  return normalizations.some(({ field }) => field === 'mask');
}

/** Describes the size that the model draws, and what the bridge cuts out of the drawing. */
function toDrawn({ drawn, cut, result }: NonNullable<Route['edit']>): string {
  const words = { drawn: toSize(drawn), cut: toSize(cut), result: toSize(result) };
  if (result.width > cut.width) return text('plan.drawnAndScaled', words);
  const isCut = cut.width < drawn.width || cut.height < drawn.height;
  return text(isCut ? 'plan.drawnAndCut' : 'plan.drawn', words);
}

function toSize({ width, height }: { readonly width: number; readonly height: number }): string {
  return text('size', { width: String(width), height: String(height) });
}

/** Returns true if the model itself keeps the pixels outside a mask, which the plan does not know when the model chooses the size. */
export function keepsRest(route: Route): boolean {
  return !isMaskedHere(route) && !isRefused(route);
}

function toMaskKey({ warnings }: Route) {
  const isExact = !warnings.includes('mask_exact_before_encoding');
  return isExact ? 'plan.maskHere' : 'plan.maskBeforeEncoding';
}

function toChange({ field, effective }: Change, route: Route): string {
  const { model } = route;
  const name = field.slice(field.lastIndexOf('.') + 1);
  const labelKey = `plan.field.${name}`;
  const label = hasText(labelKey) ? text(labelKey) : name;
  const size = typeof effective === 'string' ? parseSize(effective) : undefined;
  if (size) {
    const edges = { width: String(size.width), height: String(size.height) };
    return text(isMaskedHere(route) ? 'plan.sizeStays' : 'plan.sizeBecomes', edges);
  }
  if (effective === null || effective === undefined)
    return text('plan.isDropped', { label, model });
  return text('plan.becomes', { label, value: String(effective) });
}
