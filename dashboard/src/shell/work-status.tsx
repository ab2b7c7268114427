import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';

/** How many jobs run and wait; nothing when none does. */
export function WorkStatus() {
  const { jobs } = usePage();
  const open = [...jobs.open.value.values()];
  if (open.length === 0) return null;
  const running = open.filter(({ status }) => status === 'running').length;
  const queued = open.length - running;
  const parts = [
    running > 0 && text('app.working.running', { count: running }),
    queued > 0 && text('app.working.queued', { count: queued }),
  ];
  return (
    <span class="status num only-wide">
      <i class="dot live" />
      {parts.filter(Boolean).join(text('list.separator'))}
    </span>
  );
}
