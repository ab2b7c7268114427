import { Link } from '../controls/link.tsx';
import { text } from '../text/text.ts';
import { TopBar } from './top-bar.tsx';

/** Says that the address has no page. */
export function NotHere() {
  return (
    <div class="app-view">
      <TopBar />
      <main class="not-here centred">
        <h1>{text('app.notHere')}</h1>
        <p>{text('app.notHere.text')}</p>
        <Link to="">{text('app.toImages')}</Link>
      </main>
    </div>
  );
}
