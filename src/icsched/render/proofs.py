"""What is proved about an order, in words and in JSON."""

from icsched.theory import Proof


def proof_sentence(proof: Proof) -> str:
    """Say what is proved about an order."""
    if proof.status == "unproved":
        if proof.method is None:
            return "Nothing is proved about this order."
        best = "; this one has the most eligible jobs on average" if "area" in proof.method else ""
        return f"No order is IC-optimal{best} (exact)."
    chain = f": {proof.chain}" if proof.chain else ""
    return f"IC-optimal, no order has more eligible jobs at any step ({proof.method}{chain})."


def proof_keys(proof: Proof) -> dict[str, object]:
    """Return a proof as it stands in JSON."""
    return {
        "status": proof.status,
        "method": proof.method,
        "chain": proof.chain,
        "min_ratio": proof.min_ratio,
        "mean_ratio": proof.mean_ratio,
    }
