import { CircleAlert, EqualNot, PencilLine, Unplug } from 'lucide';
import type { ComponentChildren } from 'preact';
import { Icon } from '../controls/icon.tsx';
import { usePage } from '../page-context.ts';
import { toFailureText } from '../text/failure-text.ts';
import { text } from '../text/text.ts';
import { FanOut } from './fan-out.tsx';
import { type Fix, type PlanText, toPlanText } from './plan-text.ts';
import type { PlanState } from './planner.ts';
import './plan-line.css';

/** What will happen when the draft is sent, before it is. */
export function PlanLine() {
  const { plan, connection, chosen } = usePage();
  const state = plan.value;
  if (connection.state.value === 'offline') {
    return <Line icon={Unplug} title={text('plan.offline')} detail={text('plan.offline.text')} />;
  }
  if (state.state === 'empty') return <Line icon={PencilLine} title={text('plan.empty')} />;
  if (state.state === 'tooLong')
    return <Line icon={CircleAlert} bad title={text('plan.tooLong')} />;
  if (state.state === 'planning') return <Line title={text('plan.planning')} />;
  if (state.state === 'refused') return <Refused error={state.error} />;
  const words = toPlanText(state.plan, chosen.value?.capabilities);
  return <Planned state={state} words={words} />;
}

function Planned({ state, words }: { readonly state: PlanState; readonly words: PlanText }) {
  if (words.kind === 'refused') {
    return (
      <Line icon={CircleAlert} bad title={words.title} detail={words.detail} fixes={words.fixes} />
    );
  }
  const calls =
    state.state === 'planned' ? (state.plan.routes[state.plan.chosen ?? 0]?.calls ?? 1) : 1;
  return words.kind === 'changes' ? (
    <Line icon={EqualNot} title={words.title} detail={words.detail} />
  ) : (
    <Line image={<FanOut calls={calls} />} title={words.title} detail={words.detail} />
  );
}

/** A rule is broken, or the bridge cannot plan: its own words for the field say most. */
function Refused({ error }: { readonly error: Extract<PlanState, { state: 'refused' }>['error'] }) {
  const issues = error.details['issues'];
  const [issue] = Array.isArray(issues) ? issues : [];
  const detail =
    typeof issue?.field === 'string'
      ? `${issue.field}: ${issue.message}`
      : toFailureText(error, Date.now()).text;
  return (
    <Line icon={CircleAlert} bad title={toFailureText(error, Date.now()).title} detail={detail} />
  );
}

interface LineProps {
  readonly icon?: Parameters<typeof Icon>[0]['of'];
  readonly image?: ComponentChildren;
  readonly title: string;
  readonly detail?: string | undefined;
  readonly bad?: boolean;
  readonly fixes?: readonly Fix[];
}

function Line({ icon, image, title, detail, bad, fixes = [] }: LineProps) {
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
      </div>
    </div>
  );
}

function FixButton({ fix }: { readonly fix: Fix }) {
  const { draft } = usePage();
  const run: Record<Fix, () => void> = {
    removeMask: () => draft.setMask(undefined),
    removeImages: () => {
      for (const { key } of draft.attachments.peek()) draft.removeAttachment(key);
    },
    autoSize: () => draft.set('parameters', { size: undefined }),
    nearest: () => draft.set('policies', { compatibility: 'normalize' }),
  };
  return (
    <button type="button" class="fix" onClick={run[fix]}>
      {text(`plan.fix.${fix}`)}
    </button>
  );
}
