import { CircleAlert, EqualNot, ImagePlus, PencilLine, Unplug } from 'lucide';
import type { ComponentChildren } from 'preact';
import { ApiError } from '../api/api.ts';
import type { ImagePlan, Job } from '../api/schemas.ts';
import { isBeyond } from '../canvas/canvas-area.ts';
import { Icon } from '../controls/button.tsx';
import type { Page } from '../page.ts';
import { usePage } from '../page-context.ts';
import { lazyView } from '../shell/lazy-view.tsx';
import { toFailureText } from '../text/failure-text.ts';
import { text } from '../text/text.ts';
import { firstSource } from './draft.ts';
import { keepDraft } from './keep-draft.ts';
import { MakeDock, MakeGo } from './make-go.tsx';
import { type Fix, isRefused as isRouteRefused, keepsRest, toPlanText } from './plan-text.ts';
import { FileMoved, toRequest, toSettings } from './to-request.ts';
import './make-foot.css';

/** Shows the plan, the number of images and the submit button below the settings. */
export function MakeFoot() {
  const { draft, chosen } = usePage();
  const { canSubmit, submit } = useSubmit();
  const count = draft.settings.value.parameters?.n ?? 1;
  return (
    <div class="make-foot stack">
      <PlanLine />
      <MakeGo
        send={text('make.submit', { count })}
        canSend={canSubmit}
        onSend={submit}
        limits={chosen.value?.capabilities?.count}
      />
    </div>
  );
}

const PlanCost = lazyView(async () => (await import('../money/plan-cost.tsx')).PlanCost);
const DockCost = lazyView(async () => (await import('../money/plan-cost.tsx')).DockCost);

/** Shows what the bridge will do with the draft. `fixes` offers changes that make a rejected draft possible. */
export function PlanLine({ fixes = true }: { readonly fixes?: boolean }) {
  const { plan, connection } = usePage();
  const state = plan.value;
  if (connection.state.value === 'offline') {
    return <Line icon={Unplug} title={text('plan.offline')} detail={text('plan.offline.text')} />;
  }
  if (state.state === 'empty') return <Line icon={PencilLine} title={text('plan.empty')} />;
  if (state.state === 'tooLong')
    return <Line icon={CircleAlert} bad title={text('plan.tooLong')} />;
  if (state.state === 'planning') return <Line title={text('plan.planning')} />;
  if (state.state === 'refused') return <Refused error={state.error} />;
  return <Planned plan={state.plan} hasFixes={fixes} />;
}

interface PlannedProps {
  readonly plan: ImagePlan;
  readonly hasFixes: boolean;
}

function Planned({ plan, hasFixes }: PlannedProps) {
  const { chosen, draft } = usePage();
  const source = firstSource(draft.attachments.value);
  const { kind, fixes, ...said } = toPlanText(plan, chosen.value?.capabilities);
  const of = source && text('plan.editOf', { name: shortened(source.name) });
  const isExtended = source?.canvas !== undefined && isBeyond(source.canvas, source);
  const isMasked = draft.mask.value !== undefined || isExtended;
  const route = plan.routes[plan.chosen ?? 0];
  const rest = isMasked && route && keepsRest(route) && text('plan.maskThere');
  const words = { ...said, detail: [of, said.detail, rest].filter(Boolean).join(' ') || undefined };
  if (kind === 'refused') {
    return <Line icon={CircleAlert} bad {...words} fixes={hasFixes ? fixes : []} />;
  }
  const look =
    kind === 'changes' ? { icon: EqualNot } : { image: <FanOut calls={route?.calls ?? 1} /> };
  return (
    <Line {...look} {...words}>
      <PlanCost plan={plan} />
    </Line>
  );
}

/** Shortens a long file name in the middle, so that its end stays visible. */
function shortened(name: string): string {
  const letters = [...name];
  if (letters.length <= 40) return name;
  return `${letters.slice(0, 24).join('')}…${letters.slice(-15).join('')}`;
}

/** Shows why the request is invalid or why no plan is possible, with the error texts of the bridge. */
function Refused({ error }: { readonly error: ApiError }) {
  const issues = error.details['issues'];
  const [issue] = Array.isArray(issues) ? issues : [];
  const { title, text: consequence } = toFailureText(error, Date.now());
  const detail =
    typeof issue?.field === 'string' ? `${issue.field}: ${issue.message}` : consequence;
  return <Line icon={CircleAlert} bad title={title} detail={detail} />;
}

export interface LineProps {
  readonly icon?: Parameters<typeof Icon>[0]['of'];
  readonly image?: ComponentChildren;
  readonly title: string;
  readonly detail?: string | undefined;
  readonly bad?: boolean;
  readonly fixes?: readonly Fix[];
  readonly children?: ComponentChildren;
}

/** Shows a statement about what will be sent. */
export function Line({ icon, image, title, detail, bad, fixes = [], children }: LineProps) {
  return (
    <div class="plan-line" role="status">
      {image ?? (icon ? <Icon of={icon} class={bad ? 'bad' : ''} /> : <i />)}
      <div>
        <p>{title}</p>
        {detail && <p class="detail">{detail}</p>}
        {fixes.length > 0 && (
          <p class="detail">
            {fixes.map((fix) => (
              <FixButton key={fix} fix={fix} />
            ))}
          </p>
        )}
        {children}
      </div>
    </div>
  );
}

function FixButton({ fix }: { readonly fix: Fix }) {
  const { draft } = usePage();
  const run: Record<Fix, () => void> = {
    // The mask may be the part of a canvas beyond its image.
    removeMask: () => {
      const source = firstSource(draft.attachments.peek());
      if (draft.mask.peek() === undefined && source) draft.setCanvas(source.key, undefined);
      else draft.setMask(undefined);
    },
    removeImages: () => {
      for (const { key } of draft.attachments.peek()) draft.removeAttachment(key);
    },
    autoSize: () => draft.set('parameters', { size: undefined }),
    nearest: () => draft.set('policies', { compatibility: 'normalize' }),
  };
  return (
    <button type="button" class="fix text-button" onClick={run[fix]}>
      {text(`plan.fix.${fix}`)}
    </button>
  );
}

/** Draws a request and the calls into which the bridge splits the request. At most four calls are drawn. */
export function FanOut({ calls }: { readonly calls: number }) {
  const count = Math.min(Math.max(calls, 1), 4);
  const step = 33 / Math.max(count - 1, 1);
  const rows = Array.from({ length: count }, (_, row) => (count === 1 ? 20 : 3.5 + row * step));
  const [first = 20, last = 20] = [rows[0], rows.at(-1)];
  return (
    <svg class="fan-out" viewBox="0 0 40 40" aria-hidden="true">
      <path d={`M6 20h8M14 ${first}V${last}${rows.map((y) => `M14 ${y}h11`).join('')}`} />
      <circle cx="4" cy="20" r="2.5" />
      {rows.map((y) => (
        <rect key={y} x="25.6" y={y - 3.4} width="10.8" height="6.8" rx="1.5" />
      ))}
    </svg>
  );
}

/** Returns true as `canSubmit` if the plan of the draft permits sending the draft. */
export function usePlanned() {
  const { plan, connection, usage } = usePage();
  const state = plan.value;
  const route = state.state === 'planned' ? state.plan.routes[state.plan.chosen ?? 0] : undefined;
  const isRefused =
    state.state === 'refused' ||
    state.state === 'tooLong' ||
    (route !== undefined && isRouteRefused(route)) ||
    usage.isBeyond.value;
  return {
    canSubmit: state.state !== 'empty' && !isRefused && connection.state.value !== 'offline',
  };
}

/** Returns a function that sends the draft. The draft is kept, so that the user can change it and send it again. */
function useSubmit() {
  const page = usePage();
  const { router } = page;
  const { canSubmit } = usePlanned();
  return {
    canSubmit,
    submit(): void {
      if (!canSubmit) return;
      if (router.layer.peek() === 'make') router.back();
      void send(page);
    },
  };
}

/** Sends the draft. Resolves with the job. */
export async function sendDraft({ draft, chosen, submissions }: Page): Promise<Job> {
  const { capabilities } = chosen.peek() ?? {};
  const settings = toSettings(draft.settings.peek(), capabilities);
  return submissions.submit(await toRequest(settings, draft.content()));
}

async function send(page: Page): Promise<void> {
  const { toasts, connection, draft } = page;
  await draft.settled();
  const restore = keepDraft(page);
  const token = connection.token.peek();
  try {
    await sendDraft(page);
  } catch (error) {
    // The draft belongs to the token with which it was sent.
    if (connection.token.peek() !== token) return;
    toasts.show({
      kind: 'failed',
      ...toWords(error),
      // The draft may have been changed since it was sent. The action restores the sent draft.
      action: { label: text('make.restore'), run: restore },
    });
  }
}

/** Describes the error of a request that was not sent or was rejected. */
export function toWords(error: unknown): { readonly text: string; readonly detail: string } {
  if (error instanceof FileMoved) {
    return {
      text: text('make.file.cannotBeRead', { name: error.file }),
      detail: text('make.file.moved'),
    };
  }
  const failure = ApiError.of(error);
  const words = toFailureText(failure, Date.now());
  return {
    text: words.title,
    detail: failure.code === 'invalid_request' ? failure.message : words.text,
  };
}

/** Shows the draft and its cost below the images while the panel is hidden. */
export function Dock() {
  const { draft } = usePage();
  const { canSubmit, submit } = useSubmit();
  const prompt = draft.settings.value.prompt?.trim();
  const count = draft.settings.value.parameters?.n ?? 1;
  return (
    <MakeDock
      icon={ImagePlus}
      line={prompt || text('make.prompt.placeholder')}
      isFaint={!prompt}
      send={text('make.submit', { count })}
      canSend={canSubmit}
      onSend={submit}
    >
      {prompt && <DockCost />}
    </MakeDock>
  );
}
