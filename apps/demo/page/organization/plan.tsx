import type { LimitUsage } from '@x/access/access-set';
import { useQuery } from '@x/client/react';
import { Check } from 'lucide-react';
import type { ReactElement } from 'react';
import { changeAddOn, changePlan, type PlanName, planNames, plans } from '../client/plans.ts';
import { useOrganizationId } from '../client/queries.ts';
import { ActionButton } from '../form/action-button.tsx';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { useVerdict } from '../form/verdict.tsx';
import { announce } from '../screen/announce.tsx';
import { Loaded } from '../screen/loaded.tsx';
import { planName } from '../text/names.ts';
import { t } from '../text/text.ts';
import { listFacts, listLosses } from './plan-facts.ts';
import { Usage } from './usage.tsx';
import { WhoManages } from './who-manages.tsx';

/** How much of the limits is used, the plans beside each other, and the add-on. */
export default function PlanPart(): ReactElement {
  const mayManage = useVerdict('organization:manage');
  return (
    <Loaded of={useQuery(plans, useOrganizationId())} lines={6}>
      {({ plan, limits, addOns, incompatible }) => (
        <>
          <section aria-labelledby="plan-now" className="card">
            <div className="card-head">
              <h2 id="plan-now">{t.organization.usageTitle}</h2>
              <p>
                {t.organization.onPlan(plan)[0]}
                <strong>{planName(plan)}</strong>
              </p>
            </div>
            <div className="meters">
              {limits.map((limit) => (
                <Usage key={limit.key} limit={limit} isExplained />
              ))}
            </div>
          </section>
          <ul className="plans">
            {planNames.map((name) => (
              <PlanCard key={name} name={name} present={planNames.find((each) => each === plan)} limits={limits} />
            ))}
          </ul>
          {mayManage.check?.allowed === false && <WhoManages text={t.organization.planReadOnly} />}
          <AddOn isAttached={addOns.length > 0} isIdle={incompatible.length > 0} fits={plan === 'pro'} />
        </>
      )}
    </Loaded>
  );
}

interface PlanCardProps {
  readonly name: PlanName;
  /** The plan that the organization is on. */
  readonly present: PlanName | undefined;
  readonly limits: readonly LimitUsage[];
}

function PlanCard({ name, present, limits }: PlanCardProps): ReactElement {
  return (
    <li className="card" aria-current={name === present}>
      <h2>{planName(name)}</h2>
      <dl className="plan-facts">
        {listFacts(name).map(({ label, text, isIncluded }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className={isIncluded ? undefined : 'muted'}>{text}</dd>
          </div>
        ))}
      </dl>
      {name === present ? (
        <p className="current">
          <Check aria-hidden className="good" /> {t.organization.current}
        </p>
      ) : (
        <ChangePlan name={name} present={present} limits={limits} />
      )}
    </li>
  );
}

/** Changes to a plan; to a smaller one after saying what will not fit any more. */
function ChangePlan({ name, present, limits }: PlanCardProps): ReactElement {
  const organizationId = useOrganizationId();
  const verdict = useVerdict('organization:manage');
  const text = t.organization.changeTo(planName(name));
  const send = () => changePlan(organizationId, name);
  const onSent = (): void => announce(t.organization.planChanged(planName(name)));
  if (!present || planNames.indexOf(name) > planNames.indexOf(present)) {
    return (
      <ActionButton className="primary" verdict={verdict} isTerse send={send} onSent={onSent}>
        {text}
      </ActionButton>
    );
  }
  return (
    <ConfirmButton
      title={text}
      body={
        <>
          <p>{t.organization.downgradeBody}</p>
          <ul className="bullets">
            {listLosses({ from: present, to: name, limits }).map((loss) => (
              <li key={loss}>{loss}</li>
            ))}
          </ul>
        </>
      }
      submit={text}
      className="plain-button"
      verdict={verdict}
      isTerse
      send={send}
      onSent={onSent}
    >
      {text}
    </ConfirmButton>
  );
}

/** Adds ten exports a day, where the plan is the one that they go with, or removes them. */
function AddOn(props: {
  readonly isAttached: boolean;
  readonly isIdle: boolean;
  readonly fits: boolean;
}): ReactElement {
  const { isAttached, isIdle, fits } = props;
  const organizationId = useOrganizationId();
  const mayManage = useVerdict('organization:manage');
  const attach = !isAttached && !isIdle;
  return (
    <section aria-labelledby="add-ons" className="card">
      <div className="card-head">
        <div>
          <h2 id="add-ons">{t.organization.addOn}</h2>
          <p className="hint">{isIdle ? t.organization.addOnIncompatible : t.organization.addOnNeeds('Pro')}</p>
        </div>
        {(fits || !attach) && (
          <ActionButton
            verdict={mayManage}
            isTerse
            send={() => changeAddOn(organizationId, attach)}
            onSent={() => announce(attach ? t.organization.attached : t.organization.detached)}
          >
            {attach ? t.organization.attach : t.organization.detach}
          </ActionButton>
        )}
      </div>
    </section>
  );
}
