import { Link } from '../controls/link.tsx';
import { text } from '../text/text.ts';
import './mark.css';

/** The name of the product, which leads home. */
export function Mark() {
  return (
    <Link to="" class="mark" aria-label={text('app.name')}>
      <svg viewBox="0 0 20 20" fill="none" aria-hidden="true">
        <rect x="1" y="1" width="18" height="18" rx="5" stroke="currentColor" stroke-width="1.75" />
        <path d="M4.75 12.75a5.25 5.25 0 0 1 10.5 0z" fill="currentColor" />
        <path
          d="M4.75 15.25h10.5"
          stroke="currentColor"
          stroke-width="1.5"
          stroke-linecap="round"
        />
      </svg>
      <span class="mark-name">{text('app.name')}</span>
    </Link>
  );
}
