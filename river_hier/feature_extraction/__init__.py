"""Text features, and random features that approximate kernels."""

from .embedding import Embedding
from .log_tfidf import LogTFIDF
from .random_fourier_features import RandomFourierFeatures
from .text_views import TextViews
from .texts import STOP_WORDS

__all__ = ["STOP_WORDS", "Embedding", "LogTFIDF", "RandomFourierFeatures", "TextViews"]
