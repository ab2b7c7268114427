import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { type Api, ApiError, unwrap } from '../api/api.ts';
import type { ImagePlan, PlanRequest } from '../api/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import type { Attachment, Draft } from './draft.ts';
import type { ChosenModel } from './model-abilities.ts';
import { bytesOver, describeMask, toSettings } from './to-request.ts';

/** The plan of a draft, as far as it is known. */
export type PlanState =
  | { readonly state: 'empty' }
  | { readonly state: 'tooLong' }
  | { readonly state: 'planning' }
  | { readonly state: 'planned'; readonly plan: ImagePlan }
  | { readonly state: 'refused'; readonly error: ApiError };

interface Deps {
  readonly api: Api;
  readonly connection: Connection;
  readonly draft: Draft;
  readonly chosen: ReadonlySignal<ChosenModel | undefined>;
}

/** The time without changes to the draft, in milliseconds, after which a plan is requested. */
const PAUSE_MS = 150;

/** Requests a plan for the draft after every pause in typing. The request only describes the images. */
export function createPlanner({ api, connection, draft, chosen }: Deps): ReadonlySignal<PlanState> {
  const current = signal<PlanState>({ state: 'empty' });
  let controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  effect(() => {
    void connection.returns.value;
    const settings = toSettings(draft.settings.value, chosen.value?.capabilities);
    const attachments = draft.attachments.value;
    const hasMask = draft.mask.value !== undefined;
    clearTimeout(timer);
    controller.abort();
    if (!settings.prompt?.trim()) {
      current.value = { state: 'empty' };
      return;
    }
    if (bytesOver(settings) > 0) {
      current.value = { state: 'tooLong' };
      return;
    }
    // The last plan stays visible until the new plan arrives, so that the line does not flicker at every key press.
    if (current.peek().state !== 'planned') current.value = { state: 'planning' };
    controller = new AbortController();
    const { signal: abort } = controller;
    const body = toPlanRequest({ ...settings, prompt: settings.prompt }, attachments, hasMask);
    timer = setTimeout(async () => {
      const next = await ask(api, body, abort);
      if (next !== undefined) current.value = next;
    }, PAUSE_MS);
  });
  return current;
}

async function ask(
  api: Api,
  body: PlanRequest,
  signal: AbortSignal,
): Promise<PlanState | undefined> {
  try {
    const plan = await unwrap(api.POST('/v1/plan', { body, signal }));
    return { state: 'planned', plan };
  } catch (error) {
    if (signal.aborted || !(error instanceof ApiError)) return undefined;
    // The line shows the state of the connection. When the bridge is reachable again, another plan is requested.
    if (error.code === 'unreachable') return undefined;
    return { state: 'refused', error };
  }
}

function toPlanRequest(
  settings: PlanRequest & { readonly prompt: string },
  attachments: readonly Attachment[],
  hasMask: boolean,
): PlanRequest {
  const sources = attachments.filter(({ role }) => role === 'source');
  const references = attachments.filter(({ role }) => role === 'reference');
  const [first] = sources;
  return {
    ...settings,
    // The images of a job are always artifacts, so the plan is requested with this value.
    output: { ...settings.output, response_format: 'artifact' },
    operation: sources.length > 0 ? 'edit' : 'generate',
    images: sources.map((source, index) => ({
      ...describe(source),
      ...(index === 0 && source.canvas && { canvas: source.canvas }),
    })),
    reference_images: references.map(describe),
    ...(hasMask && first && { mask: describeMask(first) }),
  };
}

/** Describes an image without its bytes. */
export function describe({ format, width, height, bytes }: Attachment) {
  return { type: 'described' as const, format, width, height, bytes };
}
