import { Fragment } from 'preact';
import { text } from '../text/text.ts';
import '../gallery/states/skeletons.css';
import './system-skeletons.css';

const ROWS = [
  { shape: '', count: 3 },
  { shape: 'tall', count: 3 },
  { shape: 'wide', count: 1 },
  { shape: 'beside', count: 1 },
];

/** The boxes of the view, before anything is known. */
export function SystemSkeletons() {
  return (
    <div class="system-skeletons" role="status">
      <span class="sr">{text('system.loading')}</span>
      {ROWS.map(({ shape, count }) => (
        <Fragment key={shape}>{Array(count).fill(<i class={`skeleton ${shape}`} />)}</Fragment>
      ))}
    </div>
  );
}
