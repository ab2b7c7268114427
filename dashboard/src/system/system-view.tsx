import { text } from '../text/text.ts';

/** How the bridge is. */
export function SystemView() {
  return (
    <main>
      <h1 class="sr">{text('app.system')}</h1>
    </main>
  );
}
