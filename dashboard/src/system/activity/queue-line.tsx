import { Pause, Play } from 'lucide';
import { Button } from '../../controls/button.tsx';
import { usePage } from '../../page-context.ts';
import { attempt } from '../../shell/say-failure.ts';
import { formatDuration, text } from '../../text/text.ts';
import './queue-line.css';

/** How many jobs of all callers wait, for how long, and the switch that keeps them waiting. */
export function QueueLine() {
  const { queue, toasts } = usePage();
  const { value: latest } = queue.latest;
  if (latest === undefined) return null;
  const { paused, queued, oldest_queued_age_ms: age } = latest;
  const parts = [
    paused && text('system.queue.paused'),
    queued === 0 ? text('system.queue.empty') : text('system.queue.waiting', { count: queued }),
    age !== undefined && text('system.queue.oldest', { age: formatDuration(Math.max(age, 1000)) }),
  ];
  return (
    <div class="queue-line">
      <p class="num" role="status">
        {paused && <i class="dot warn" />}
        {parts.filter(Boolean).join(' ')}
      </p>
      <Button
        size="small"
        icon={paused ? Play : Pause}
        onClick={() => void attempt(toasts, () => queue.setPaused(!paused))}
      >
        {text(paused ? 'system.queue.resume' : 'system.queue.pause')}
      </Button>
    </div>
  );
}
