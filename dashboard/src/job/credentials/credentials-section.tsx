import { History, ShieldCheck } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Button, Icon } from '../../controls/button.tsx';
import { useMenu } from '../../controls/menu.tsx';
import { usePage } from '../../page-context.ts';
import { toFailureText } from '../../text/failure-text.ts';
import { text } from '../../text/text.ts';
import { idOf, type JobImage } from '../state/job-images.ts';
import { useLook } from '../state/look-context.ts';
import { type Check, useChecks } from './checks.ts';
import { Story } from './story.tsx';
import { explain, isMarkedAsAi, sourceTypeText, toVerdict } from './verdict.ts';
import { LOOKS } from './verdict-looks.ts';
import './credentials.css';

/** Shows one verdict on the Content Credentials of the image in view. Absent if nothing is known about them. */
export function CredentialsSection() {
  const { looking } = useLook();
  const { b: image } = looking;
  return image?.provenance && <Known key={image.path} image={image} />;
}

function Known({ image }: { readonly image: JobImage }) {
  const checks = useChecks();
  const { isOpen, close, button, menu } = useMenu('dialog');
  const id = idOf(image);
  const { value: check } = checks.get(id);
  const { value: returns } = usePage().connection.returns;
  useEffect(() => {
    const code = check.state === 'failed' ? check.error.code : undefined;
    if (code === 'unreachable' || code === 'authentication') void checks.check(id);
  }, [returns]);
  const { provenance } = image;
  if (provenance === undefined) return null;
  const report = check.state === 'checked' ? check.report : undefined;
  const verdict = toVerdict(provenance, report?.state);
  const { icon, tone } = LOOKS[verdict];
  const hasFile = verdict !== 'none' && verdict !== 'dropped';
  return (
    <section class="credentials-section stack">
      <h2>
        {text('credentials.title')}
        {isMarkedAsAi(provenance) && (
          <span class="ai-tag" title={text('credentials.ai.made')}>
            <span class="sr">{text('credentials.ai.made')}</span>
            <span aria-hidden="true">{text('credentials.ai')}</span>
          </span>
        )}
      </h2>
      <p class={`verdict row ${tone === 'bad' ? 'bad' : ''}`} role="status">
        <Icon of={icon} class={tone} />
        <span>{text(`credentials.${verdict}`)}</span>
      </p>
      <p class="soft">{explain(verdict, provenance)}</p>
      <dl class="fact-list">
        {provenance.signer !== undefined && (
          <Row name={text('credentials.signer')} note={trustText(provenance.found)}>
            {provenance.signer}
          </Row>
        )}
        {report?.manifest?.signer !== undefined && provenance.credentials !== 'kept' && (
          <Row name={text('credentials.signedBy')} note={trustText(report.state)}>
            {report.manifest.signer}
          </Row>
        )}
        {provenance.source_type !== undefined && (
          <Row name={text('credentials.madeBy')}>{sourceTypeText(provenance.source_type)}</Row>
        )}
        {provenance.mark !== 'none' && (
          <Row name={text('credentials.mark')}>{text(`credentials.mark.${provenance.mark}`)}</Row>
        )}
      </dl>
      {hasFile && (
        <p class="row">
          <CheckButton check={check} onPress={() => void checks.check(id)} />
          <Button {...button} size="small" icon={History}>
            {text('credentials.story.short')}
          </Button>
          {isOpen && <Story image={image} menu={menu} onClose={close} />}
        </p>
      )}
      {check.state === 'failed' && (
        <p class="bad" role="alert">
          {toFailureText(check.error, Date.now()).title}
        </p>
      )}
      {report?.state === 'present' && (
        <p class="hint" role="status">
          {text('credentials.state.present')}
        </p>
      )}
    </section>
  );
}

interface CheckButtonProps {
  readonly check: Check;
  readonly onPress: () => void;
}

function CheckButton({ check, onPress }: CheckButtonProps) {
  if (check.state === 'checked') return null;
  const isChecking = check.state === 'checking';
  return (
    <Button size="small" icon={ShieldCheck} disabled={isChecking} onClick={onPress}>
      {text(isChecking ? 'credentials.checking' : 'credentials.check')}
    </Button>
  );
}

/** Returns the words for the trust in a signer, which is apart from the validity of the signature. */
function trustText(state: string): string | undefined {
  if (state === 'trusted') return text('credentials.trusted');
  return state === 'valid' ? text('credentials.notTrusted') : undefined;
}

interface RowProps {
  readonly name: string;
  readonly note?: string | undefined;
  readonly children: ComponentChildren;
}

function Row({ name, note, children }: RowProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
      {note !== undefined && <dd class="hint">{note}</dd>}
    </div>
  );
}
