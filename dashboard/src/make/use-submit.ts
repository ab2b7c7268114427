import { ApiError } from '../api/api-error.ts';
import type { Page } from '../page.ts';
import { usePage } from '../page-context.ts';
import { toFailureText } from '../text/failure-text.ts';
import { text } from '../text/text.ts';
import { isRefused as isRouteRefused } from './plan-text.ts';
import { FileMoved, toRequest, toSettings } from './to-request.ts';

/** Returns a function that sends the draft. The draft is kept, so that it can be changed and sent again at once. */
export function useSubmit() {
  const page = usePage();
  const { plan, connection, router } = page;
  const state = plan.value;
  const route = state.state === 'planned' ? state.plan.routes[state.plan.chosen ?? 0] : undefined;
  const isRefused =
    state.state === 'refused' ||
    state.state === 'tooLong' ||
    (route !== undefined && isRouteRefused(route));
  const canSubmit = state.state !== 'empty' && !isRefused && connection.state.value !== 'offline';
  return {
    canSubmit,
    submit(): void {
      if (!canSubmit) return;
      if (router.layer.peek() === 'make') router.back();
      void send(page);
    },
  };
}

async function send(page: Page): Promise<void> {
  const { draft, chosen, submissions, toasts } = page;
  const { capabilities } = chosen.peek() ?? {};
  const settings = toSettings(draft.settings.peek(), capabilities);
  const restore = draft.snapshot();
  try {
    const request = await toRequest(settings, draft.attachments.peek(), draft.mask.peek());
    await submissions.submit(request);
  } catch (error) {
    toasts.show({
      kind: 'failed',
      ...toWords(error),
      // The draft may have been changed since it was sent. The action restores the sent draft.
      action: { label: text('make.restore'), run: restore },
    });
  }
}

function toWords(error: unknown): { readonly text: string; readonly detail: string } {
  if (error instanceof FileMoved) {
    return {
      text: text('make.file.cannotBeRead', { name: error.file }),
      detail: text('make.file.moved'),
    };
  }
  const failure = error instanceof ApiError ? error : ApiError.unreachable();
  const words = toFailureText(failure, Date.now());
  return {
    text: words.title,
    detail: failure.code === 'invalid_request' ? failure.message : words.text,
  };
}
