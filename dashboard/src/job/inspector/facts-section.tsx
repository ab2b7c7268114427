import { ArrowRight, Check, EqualNot } from 'lucide';
import type { ComponentChildren } from 'preact';
import type { Job } from '../../api/schemas.ts';
import { Icon } from '../../controls/button.tsx';
import { Link } from '../../controls/link.tsx';
import { text } from '../../text/text.ts';
import { type Fact, toAsked, toFacts } from './facts.ts';

/** Compares the requested settings with the delivered images. Without images, shows only the requested settings. */
export function FactsSection({ job }: { readonly job: Job }) {
  const { result } = job;
  const count = result?.data.length ?? 0;
  return (
    <section class="facts-section stack">
      <h2>
        {text(count > 0 ? 'job.facts' : 'job.facts.asked')}
        {count > 1 && <span class="hint">{text('job.facts.all', { count })}</span>}
      </h2>
      <dl class="fact-list">
        {result && count > 0
          ? toFacts(result).map((fact) => <Row key={fact.name} fact={fact} />)
          : toAsked(job).map(([name, value]) => (
              <Pair key={name} name={name}>
                {value}
              </Pair>
            ))}
        <Origin job={job} />
      </dl>
    </section>
  );
}

/** Shows the priority of the job, and a link to the job that it retries. */
function Origin({ job: { priority = 0, retry_of: earlier } }: { readonly job: Job }) {
  return (
    <>
      {priority !== 0 && <Pair name={text('job.fact.priority')}>{priority}</Pair>}
      {earlier !== undefined && (
        <Pair name={text('job.fact.retryOf')}>
          <Link to={`/jobs/${earlier}`}>{text('job.fact.retryOf.show')}</Link>
        </Pair>
      )}
    </>
  );
}

function Pair({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="got row num">{children}</dd>
    </div>
  );
}

function Row({ fact: { name, asked, got, verdict, why } }: { readonly fact: Fact }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="got row num">
        {asked !== undefined && (
          <>
            <s class="faint">{asked}</s>
            <Icon of={ArrowRight} small />
          </>
        )}
        {got}
      </dd>
      {verdict !== 'unspecified' && (
        <dd class={verdict === 'changed' ? 'tick changed' : 'tick'}>
          <Icon of={verdict === 'changed' ? EqualNot : Check} small />
          {text(verdict === 'changed' ? 'job.fact.changed' : 'job.fact.asAsked')}
        </dd>
      )}
      {why !== undefined && <dd class="why">{why}</dd>}
    </div>
  );
}
