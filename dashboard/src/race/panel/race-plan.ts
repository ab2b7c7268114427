import { useEffect } from 'preact/hooks';
import { ApiError, unwrap } from '../../api/api.ts';
import type { PlanBatch, PlanBatchResult } from '../../api/schemas.ts';
import type { Draft } from '../../make/draft.ts';
import { describe } from '../../make/planner.ts';
import { describeMask } from '../../make/to-request.ts';
import type { Page } from '../../page.ts';
import { usePage } from '../../page-context.ts';
import type { Racer } from '../race-state.ts';
import { MAX_PROMPTS } from './expand-prompt.ts';
import type { NextRace } from './next-race.ts';

/** The time without changes, in milliseconds, after which a plan is requested. */
const PAUSE_MS = 200;

/** Requests a plan of the race after every pause in typing, while the panel is shown. */
export function useRacePlan({ expansion, racers }: NextRace): void {
  const { api, connection, draft, race } = usePage();
  const { value: returns } = connection.returns;
  const prompts = expansion.count > MAX_PROMPTS ? [] : expansion.prompts;
  const named = JSON.stringify([prompts, racers]);
  useEffect(() => {
    if (prompts.length === 0 || racers.length === 0) {
      race.plan.value = undefined;
      return;
    }
    if (race.plan.peek()?.state !== 'planned') race.plan.value = { state: 'planning' };
    const controller = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const body = { ...toPlanSettings(draft), prompts: [...prompts], routes: [...racers] };
        const plan = await planMany(api, body, controller.signal);
        race.plan.value = { state: 'planned', plan };
      } catch (thrown) {
        const error = ApiError.of(thrown);
        if (controller.signal.aborted || error.code === 'unreachable') return;
        race.plan.value = { state: 'refused', error };
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [named, draft.settings.value, draft.attachments.value, draft.mask.value, returns]);
}

/** Plans many requests. */
export function planMany(
  api: Page['api'],
  body: PlanBatch,
  signal: AbortSignal,
): Promise<PlanBatchResult> {
  return unwrap(api.POST('/v1/plan/batch', { body, signal }));
}

/** Returns the settings of the draft that all requests of a race share. The images are described. */
export function toPlanSettings(draft: Draft): Omit<PlanBatch, 'prompts' | 'routes'> {
  const { prompt: _, routing: __, session: ___, output, ...settings } = draft.settings.peek();
  const { filename: ____, ...kept } = output ?? {};
  const attachments = draft.attachments.peek();
  const sources = attachments.filter(({ role }) => role === 'source');
  const [first] = sources;
  return {
    ...settings,
    output: { ...kept, response_format: 'artifact' },
    operation: sources.length > 0 ? 'edit' : 'generate',
    images: sources.map((source, index) => ({
      ...describe(source),
      ...(index === 0 && source.canvas && { canvas: source.canvas }),
    })),
    reference_images: attachments.filter(({ role }) => role === 'reference').map(describe),
    ...(draft.mask.peek() && first && { mask: describeMask(first) }),
  };
}

/** Returns the key of a model in a map. */
export function racerKey({ provider, model }: Racer): string {
  return JSON.stringify([provider, model]);
}
